/**
 * Words and phrases that have a plainer or an agreed replacement. A pattern may span a line break inside a comment or text.
 * @type {{ pattern: RegExp, instead: string }[]}
 */
export const replacedWords = [
  // Statuses and mail
  { pattern: phrase('puts?|putting', 'it|them|a message|mail', 'off'), instead: '"deferred" or "will retry"' },
  { pattern: /\b(is|are|was|were|been|being) put\s+off\b|\bputs?\s+off\b/gi, instead: '"deferred"' },
  { pattern: /\bthe\s+other\s+side\b/gi, instead: '"receiving server", "client" or "endpoint"' },
  { pattern: /\blets?\s+(it\s+|them\s+)?(be\s+)?(send|sent)\s+again\b/gi, instead: '"unsuspend"' },
  { pattern: /\b(servers?|mailbox(es)?|domains?|addresses)\s+of\s+(ours|theirs)\b/gi, instead: '"our …" or "their …"' },
  { pattern: /\b(switch(ed|es)?|turned)\s+off\b/gi, instead: '"inactive" or "disabled"' },
  { pattern: /\bfor\s+good\b/gi, instead: '"permanently"' },
  {
    pattern: /\b(became|becomes?|come|came)\s+of\s+(it|them|the|a|each|every|this|that|message|mail)\b/gi,
    instead: '"what happened to"',
  },
  // Verbs
  { pattern: /\bmend(s|ed|ing)?\b/gi, instead: '"fix"' },
  { pattern: /\banew\b/gi, instead: '"again" or "start over"' },
  { pattern: /\b(tells?|told)\s+(of|in\s+(one\s+)?(a\s+)?sentence)\b/gi, instead: '"report"' },
  { pattern: /\b(is|are|was|were|been|be)\s+told\b/gi, instead: '"reported" or "notified"' },
  {
    pattern: /\b(will|would)\s+stand\b|\bstands?\s+(here|there|beside|below|above)\b/gi,
    instead: '"is", "appears" or "replaces"',
  },
  { pattern: /\b(comes?|came)\s+about\b/gi, instead: '"happens"' },
  { pattern: /\b(no|does not|doesn't|do not|don't)\s+(\w+\s+)?fits?\b/gi, instead: '"match"' },
  { pattern: /\b(counts?|effect|applies)\s+at\s+once\b/gi, instead: '"takes effect immediately"' },
  { pattern: /\btakes?\s+no\s+(POST|GET|query|parameters|body|connections?)\b/gi, instead: '"doesn\'t accept"' },
  {
    pattern: /\b(with)?in\s+(the\s+caller's\s+|its\s+|your\s+)?reach\b|\bout\s+of\s+reach\b/gi,
    instead: '"accessible" or "domain scope"',
  },
  // Per
  { pattern: /\b(messages|requests|rows|times|tries)\s+an?\s+(second|minute|hour|day)\b/gi, instead: '"per"' },
  {
    pattern: /\b(once|one|query|entry|row|line)\s+an?\s+(domain|recipient|mailbox|message|address|route|file)\b/gi,
    instead: '"per"',
  },
  { pattern: /\bwhoever\b/gi, instead: 'a noun' },
  { pattern: /\be-mails?\b/gi, instead: '"email"' },
  // Names
  {
    pattern:
      /\bledger|(?<![a-z])folio\b|useMay\b|useReach\b|landOnFields|workAside|beginProof|takeBackProof|tellOutcome|WebhookActs/gi,
    instead: 'the name in the glossary',
  },
  // Documents outside of this repository
  { pattern: /(?<![\w-])(rules|contract|spec|areas|mail-stack|language|stack)\.md\b/g, instead: 'a document in docs/' },
];

function phrase(...parts) {
  return new RegExp(`\\b${parts.map((part) => `(?:${part})`).join('\\s+')}\\b`, 'gi');
}
