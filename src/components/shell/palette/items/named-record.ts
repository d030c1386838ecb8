/** Actions on a record, each with the words that ask for it. */
const VERBS = {
  suspend: ['suspend', 'block'],
  unsuspend: ['unsuspend', 'unblock'],
  misuse: ['check', 'misuse', 'abuse', 'hijacked', 'compromised'],
  history: ['history', 'changes'],
  messages: ['messages'],
  replay: ['replay', 'retry', 'failed'],
  restore: ['restore', 'undelete', 'deleted'],
  password: ['password', 'reset'],
  dns: ['check', 'dns'],
  rotate: ['rotate', 'secret'],
  revoke: ['revoke'],
} as const;

export type Verb = keyof typeof VERBS;

/** Words between the verb and the name, as in "check ann@acme.example for misuse". */
const FILLERS = ['a', 'deliveries', 'for', 'from', 'new', 'of', 'set', 'the', 'to'];
/** Shorter beginnings of a word are rather the name of a record. */
const MIN_BEGINNING = 4;

/** Returns the actions that the text asks for, and the rest of it, which names the record. Without a verb, that is the whole text. */
export function namedRecord(text: string): { verbs: Verb[]; name: string } {
  const words = text.split(/\s+/);
  const verbsOf = (word: string) => (Object.keys(VERBS) as Verb[]).filter((verb) => asksFor(verb, word));
  const asked = words.map(verbsOf).filter((verbs) => verbs.length > 0);
  const verbs = [...new Set(asked.flat())].filter((verb) => asked.every((each) => each.includes(verb)));
  const name = words.filter((word) => verbsOf(word).length === 0 && !FILLERS.includes(word)).join(' ');
  return verbs.length > 0 && name !== '' ? { verbs, name } : { verbs: [], name: text };
}

function asksFor(verb: Verb, word: string): boolean {
  return VERBS[verb].some((each) => each === word || (word.length >= MIN_BEGINNING && each.startsWith(word)));
}
