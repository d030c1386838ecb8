import { Parser } from 'htmlparser2';

// The work of a parser grows with the product of both.
const MAX_TAGS = 50_000;
const MAX_OPEN_TAGS = 5_000;

/** The text of HTML, up to a limit, with a line for each block. @param options.hasLinks whether targets follow the text of links */
export function htmlToText(html: string, { hasLinks = false } = {}): string {
  let text = '';
  let hidden = 0;
  const links: { href: string; start: number }[] = [];
  const breakLine = () => {
    if (!/\n\s*$/.test(text.slice(-10))) text += '\n';
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (hidden > 0 || isHidden(name, attributes)) hidden += 1;
      else if (name === 'br') text += '\n';
      else if (BLOCKS.has(name) || LINES.has(name)) breakLine();
      else if (name === 'a' && hasLinks) links.push({ href: (attributes.href ?? '').trim(), start: text.length });
    },
    ontext(content) {
      if (hidden === 0) text += content.replace(/\s+/g, ' ');
    },
    onclosetag(name) {
      if (hidden > 0) hidden -= 1;
      else if (name === 'a') text += targetOf(links.pop(), text);
      else if (name === 'td' || name === 'th') text += ' ';
      else if (BLOCKS.has(name)) text += '\n';
      else if (LINES.has(name)) breakLine();
    },
  });
  parser.end(boundedHtml(html));
  const lines = text
    .replace(FILLER, '')
    .split('\n')
    .map((line) => line.trim());
  return lines.join('\n').trim();
}

/** Characters without a width, which senders repeat so that nothing else of a message shows beside its subject. */
const FILLER = /(?:[\u034f\u200b\u200c\u2060\u00ad] *){2,}/g;

function isHidden(name: string, { style = '', hidden }: Record<string, string>): boolean {
  return HIDDEN.has(name) || hidden !== undefined || /(?:^|;)\s*display\s*:\s*none\b/i.test(style);
}

const HIDDEN = new Set(['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template']);
const BLOCKS = new Set(['p', 'div', 'tr', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'blockquote', 'pre']);
/** Elements that only begin and end a line. */
const LINES = new Set([
  ...['address', 'article', 'aside', 'caption', 'center', 'dd', 'dl', 'dt', 'figcaption', 'figure', 'footer', 'header'],
  ...['hr', 'main', 'ol', 'section', 'ul'],
]);

/** The target of a link in parentheses, unless its text says it already. */
function targetOf(link: { href: string; start: number } | undefined, text: string): string {
  if (!link || !/^(?:https?:|mailto:|tel:)/i.test(link.href)) return '';
  const shown = text.slice(link.start).trim();
  if (shown === '') return link.href;
  return link.href.replace(/^(?:mailto|tel):/i, '') === shown ? '' : ` (${link.href})`;
}

export function textToHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<div>${escaped.trim().replaceAll('\n', '<br>\n')}</div>`;
}

/** Whether {@link htmlToText} leaves out the end of this HTML. */
export function isTooMarkedUp(html: string): boolean {
  return boundedHtml(html).length < html.length;
}

/** The HTML up to the tag that exceeds a limit. Tags that need no end tag count as open, so real mail stays far below. */
export function boundedHtml(html: string): string {
  let [tags, open] = [0, 0];
  for (const { index, 1: slash, 2: name = '' } of html.matchAll(/<(\/?)([a-z][^\s/>]*)/gi)) {
    tags += 1;
    if (slash) open = Math.max(open - 1, 0);
    else if (!VOID_TAGS.has(name.toLowerCase())) open += 1;
    if (tags > MAX_TAGS || open > MAX_OPEN_TAGS) return html.slice(0, index);
  }
  return html;
}

const VOID_TAGS = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
]);
