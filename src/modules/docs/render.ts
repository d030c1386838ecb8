import { Marked, type Token, type Tokens } from 'marked';

/** `text` is what a reader sees of the section. */
type Section = { heading: string; id: string; text: string };

/** `html` is without the title. */
export type Page = { title: string; html: string; sections: Section[] };

/**
 * Renders a chapter of the documentation. Links to other chapters lead to their pages; what is only in the repository is named
 * without a link.
 * @param titleOf the title of a chapter that has a page, else null
 */
export function renderPage(markdown: string, titleOf: TitleOf): Page {
  const marked = new Marked({ renderer: rendererOf(titleOf) });
  const [title, ...tokens] = marked.lexer(markdown).filter(({ type }) => type !== 'space');
  return {
    title: title ? textOf(title) : '',
    html: scrollable(marked.parser(tokens)),
    sections: sectionsOf(title ? textOf(title) : '', tokens),
  };
}

type TitleOf = (name: string) => string | null;

function rendererOf(titleOf: TitleOf) {
  type Renderer = { parser: { parseInline(tokens: Token[]): string } };
  return {
    heading(this: Renderer, token: Tokens.Heading) {
      const { tokens, depth } = token;
      return `<h${depth} id="${idOf(textOf(token))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link(this: Renderer, { href, text, tokens }: Tokens.Link) {
      const content = this.parser.parseInline(tokens);
      if (/^https:\/\//.test(href))
        return `<a href="${escapeHtml(href)}" rel="noreferrer" target="_blank">${content}</a>`;
      const [, chapter, anchor = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
      const title = chapter ? titleOf(chapter) : null;
      // A link that has the name of the file as its text is to the whole chapter.
      const shown = title && text.endsWith('.md') ? escapeHtml(title) : content;
      if (title) return `<a href="/docs/${chapter}${anchor}">${shown}</a>`;
      return href.startsWith('#') ? `<a href="${escapeHtml(href)}">${content}</a>` : content;
    },
    image: ({ text }: Tokens.Image) => escapeHtml(text),
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
  };
}

/** Wide code and tables scroll, also by keyboard. */
function scrollable(html: string): string {
  return html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
}

function sectionsOf(title: string, tokens: readonly Token[]): Section[] {
  const sections: Section[] = [{ heading: title, id: '', text: '' }];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = textOf(token);
      sections.push({ heading, id: idOf(heading), text: '' });
    } else {
      const last = sections.at(-1) as Section;
      last.text = `${last.text} ${textOf(token)}`.trim();
    }
  }
  return sections;
}

/** Returns the text of a token that a reader sees, in one line. */
function textOf(token: Token): string {
  return rawTextOf(token).replace(/\s+/g, ' ').trim();
}

function rawTextOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map(({ tokens }) => joined(tokens))).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => joined(item.tokens)).join(' ');
  if ('tokens' in token && token.tokens) return joined(token.tokens);
  return 'text' in token ? String(token.text) : '';
}

function joined(tokens: readonly Token[]): string {
  return tokens.map(rawTextOf).join('');
}

/** As GitHub names headings, so that links hold in both places. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
