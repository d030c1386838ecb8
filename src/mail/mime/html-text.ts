import sanitizeHtml from 'sanitize-html';

/** The text of HTML, with a line for each block. */
export function htmlToText(html: string): string {
  const broken = html
    .replace(/\s+/g, ' ')
    .replace(/<(?:br|\/(?:p|div|tr|li|h[1-6]|table|blockquote|pre))\b[^<>]{0,200}>/gi, '$&\n');
  const escaped = sanitizeHtml(broken, { allowedTags: [], allowedAttributes: {}, nonTextTags: HIDDEN });
  return unescaped(escaped)
    .replace(/ *\n */g, '\n')
    .trim();
}

const HIDDEN = ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template'];

export function textToHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<div>${escaped.trim().replaceAll('\n', '<br>\n')}</div>`;
}

function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('\u00a0', ' ')
    .replaceAll('&amp;', '&');
}
