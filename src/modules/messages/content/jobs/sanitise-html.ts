import sanitizeHtml from 'sanitize-html';
import type { AttachedFile } from '@/mail/mime/attached-files';
import { boundedHtml } from '@/mail/mime/html-text';

export type SafeHtml = { html: string; blockedImages: number; shownFiles: ReadonlySet<number>; isCut: boolean };

const MAX_INLINE_BYTES = 5 * 1024 * 1024;
/** The first bytes of each type of image. Senders often declare another type, or none. */
const IMAGE_SIGNS: [type: string, sign: RegExp][] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/avif', /^[\s\S]{4}ftypavi[fs]/],
  ['image/bmp', /^BM[\s\S]{4}\0{4}/],
  ['image/x-icon', /^\0\0\x01\0[\x01-\xff]\0/],
];
const ABSOLUTE = /^(?:https?|mailto|tel):/i;
// The library removes comments from a link one by one, each time copying the rest.
const MAX_LINK_LENGTH = 8_192;
const LINK_RELATION = 'noopener noreferrer nofollow';
const DATA_IMAGE =
  /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon)(?:;[\w.-]{1,40}=[\w.-]{1,200})?;base64,[A-Za-z0-9+/=\s]*$/i;
/** Without a match in a declaration, its other values are kept. */
const URL_VALUE = /url\([^()]*\)/gi;
const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{1,30})$/i;

/**
 * Keeps what formats text, and nothing that runs, loads or submits anything. Images that the message itself has are
 * included, within a limit; all others are removed and counted.
 */
export function sanitiseHtml(html: string, files: readonly AttachedFile[]): SafeHtml {
  const shownFiles = new Set<number>();
  const [byContentId, byName] = [firstBy(files, 'contentId'), firstBy(files, 'filename')];
  const bounded = boundedHtml(html);
  let [blockedImages, inlineBytes, isCut] = [0, 0, bounded.length < html.length];

  function sourceOf(given: string): string | null {
    const src = given.trim();
    if (DATA_IMAGE.test(src)) return withinLimit(src.length) ? src : null;
    const id = /^cid:/i.test(src) ? idOf(decoded(src.slice(4))) : null;
    const index = id === null ? byName.get(decoded(src)) : (byContentId.get(id) ?? byName.get(id));
    const file = index === undefined ? undefined : files[index];
    const type = file && imageType(file.content);
    if (index === undefined || !type) return null;
    if (!withinLimit(file.content.byteLength)) return null;
    shownFiles.add(index);
    return `data:${type};base64,${Buffer.from(file.content).toString('base64')}`;
  }

  function withinLimit(bytes: number): boolean {
    inlineBytes += bytes;
    isCut ||= inlineBytes > MAX_INLINE_BYTES;
    return inlineBytes <= MAX_INLINE_BYTES;
  }

  const safe = sanitizeHtml(bounded, {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedStyles: { '*': Object.fromEntries(STYLES.map((name) => [name, [SAFE_STYLE]])) },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template', 'svg', 'math'],
    transformTags: {
      '*': (tagName, { style, ...attribs }) => ({
        tagName,
        attribs: style === undefined ? attribs : { ...attribs, style: style.replace(URL_VALUE, '') },
      }),
      // Its text may be white on its background.
      body: (tagName, { bgcolor, text, style: given = '' }) => {
        const style = colour('background-color', bgcolor) + colour('color', text) + given;
        return { tagName: style === '' ? tagName : 'div', attribs: { style } };
      },
      // A relative link would lead into the console.
      a: (tagName, { href: given = '', ...attribs }) => {
        isCut ||= given.length > MAX_LINK_LENGTH;
        const href = given.length <= MAX_LINK_LENGTH ? given.trim() : '';
        const isKept = ABSOLUTE.test(href);
        return { tagName, attribs: { ...attribs, ...(isKept && { href }), target: '_blank', rel: LINK_RELATION } };
      },
      img: (tagName, { src = '', srcset: _, ...attribs }) => {
        const source = sourceOf(src);
        if (source === null) blockedImages += 1;
        return { tagName, attribs: source === null ? attribs : { ...attribs, src: source } };
      },
    },
  });
  return { html: safe, blockedImages, shownFiles, isCut };
}

function colour(property: string, value = ''): string {
  return COLOUR.test(value.trim()) ? `${property}:${value.trim()};` : '';
}

const TAGS = [
  ...['a', 'abbr', 'address', 'article', 'b', 'big', 'blockquote', 'br', 'caption', 'center', 'cite', 'code', 'col'],
  ...['colgroup', 'dd', 'del', 'dfn', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'font', 'footer', 'h1', 'h2'],
  ...['h3', 'h4', 'h5', 'h6', 'header', 'hr', 'i', 'img', 'ins', 'kbd', 'li', 'main', 'mark', 'ol', 'p', 'pre', 'q'],
  ...['s', 'samp', 'section', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th'],
  ...['thead', 'time', 'tr', 'tt', 'u', 'ul', 'var'],
];

const ATTRIBUTES = {
  '*': ['style', 'align', 'valign', 'dir', 'lang', 'title', 'width', 'height', 'bgcolor'],
  a: ['href', 'name', 'target', 'rel'],
  font: ['color', 'face', 'size'],
  img: ['src', 'alt'],
  ol: ['start', 'type'],
  table: ['border', 'cellpadding', 'cellspacing'],
  td: ['colspan', 'rowspan', 'nowrap'],
  th: ['colspan', 'rowspan', 'nowrap'],
};

// Nothing that positions an element over others. Values with anything like url() don't pass SAFE_STYLE.
const STYLES = [
  ...['background', 'background-color', 'border', 'border-bottom', 'border-collapse', 'border-color', 'border-left'],
  ...['border-radius', 'border-right', 'border-spacing', 'border-style', 'border-top', 'border-width', 'color'],
  ...['direction', 'display', 'font', 'font-family', 'font-size', 'font-style', 'font-weight', 'height'],
  ...['letter-spacing', 'line-height', 'list-style-type', 'margin', 'margin-bottom', 'margin-left', 'margin-right'],
  ...['margin-top', 'max-width', 'min-width', 'padding', 'padding-bottom', 'padding-left', 'padding-right'],
  ...['padding-top', 'text-align', 'text-decoration', 'text-indent', 'text-transform', 'vertical-align', 'white-space'],
  'width',
];

const SAFE_STYLE = /^(?:[\w#%.,'"!+\s-]|(?:rgb|hsl)a?\([\d\s.,%/]*\)){1,500}$/i;

/** The first file with each value. */
function firstBy(files: readonly AttachedFile[], key: 'contentId' | 'filename'): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, { [key]: value }] of files.entries()) if (value && !indexes.has(value)) indexes.set(value, index);
  return indexes;
}

function idOf(text: string): string {
  return text.trim().replace(/^<|>$/g, '').trim();
}

function imageType(content: Uint8Array): string | undefined {
  const start = Buffer.from(content.subarray(0, 16)).toString('latin1');
  return IMAGE_SIGNS.find(([, sign]) => sign.test(start))?.[0];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
