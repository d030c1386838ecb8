import sanitizeHtml from 'sanitize-html';
import type { AttachedFile } from './attached-file';

export type SafeHtml = { html: string; blockedImages: number; shownFiles: ReadonlySet<number>; isCut: boolean };

const MAX_INLINE_BYTES = 5 * 1024 * 1024;
const MAX_NESTING = 200;
const INLINE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const ABSOLUTE = /^(?:https?|mailto|tel):/i;
const LINK_RELATION = 'noopener noreferrer nofollow';
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/;

/**
 * Keeps what formats text, and nothing that runs, loads or submits anything. Images that the message itself has are
 * included, within a limit; all others are removed and counted.
 */
export function sanitiseHtml(html: string, files: readonly AttachedFile[]): SafeHtml {
  const shownFiles = new Set<number>();
  let [blockedImages, inlineBytes, isCut] = [0, 0, false];

  function sourceOf(src: string): string | null {
    if (DATA_IMAGE.test(src)) return withinLimit(src.length) ? src : null;
    const index = /^cid:/i.test(src) ? files.findIndex(({ contentId }) => contentId === decoded(src.slice(4))) : -1;
    const file = files[index];
    if (!file || !INLINE_TYPES.has(file.contentType)) return null;
    if (!withinLimit(file.content.byteLength)) return null;
    shownFiles.add(index);
    return `data:${file.contentType};base64,${Buffer.from(file.content).toString('base64')}`;
  }

  function withinLimit(bytes: number): boolean {
    inlineBytes += bytes;
    isCut ||= inlineBytes > MAX_INLINE_BYTES;
    return inlineBytes <= MAX_INLINE_BYTES;
  }

  const safe = sanitizeHtml(html, {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedStyles: { '*': Object.fromEntries(STYLES.map((name) => [name, [SAFE_STYLE]])) },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    nestingLimit: MAX_NESTING,
    nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template', 'svg', 'math'],
    transformTags: {
      // A relative link would lead into the console.
      a: (tagName, { href = '', ...attribs }) => ({
        tagName,
        attribs: { ...attribs, ...(ABSOLUTE.test(href) && { href }), target: '_blank', rel: LINK_RELATION },
      }),
      img: (tagName, { src = '', srcset: _, ...attribs }) => {
        const source = sourceOf(src);
        if (source === null) blockedImages += 1;
        return { tagName, attribs: source === null ? attribs : { ...attribs, src: source } };
      },
    },
  });
  return { html: safe, blockedImages, shownFiles, isCut };
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

// Nothing that positions an element over others. Values with url() don't pass SAFE_STYLE.
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

function decoded(contentId: string): string {
  try {
    return decodeURIComponent(contentId);
  } catch {
    return contentId;
  }
}
