/**
 * Joins the lines of format=flowed text to paragraphs (RFC 3676). Lines of different quote depth are never joined, and
 * an empty line ends a paragraph even after a line that asks to be continued.
 * @param text with LF as line ends
 * @param isSpaceDeleted the parameter DelSp
 */
export function joinFlowed(text: string, isSpaceDeleted: boolean): string {
  const paragraphs: string[] = [];
  let open: { depth: number; lines: string[] } | null = null;
  const close = () => {
    if (open) paragraphs.push(quoted(open.depth, open.lines.join('')));
    open = null;
  };
  for (const line of text.split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0;
    const content = line.slice(depth).replace(/^ /, '');
    if (open && (open.depth !== depth || content === '' || content === SIGNATURE)) close();
    const isContinued = content.endsWith(' ') && content !== SIGNATURE;
    open ??= { depth, lines: [] };
    open.lines.push(isContinued && isSpaceDeleted ? content.slice(0, -1) : content);
    if (!isContinued) close();
  }
  close();
  return paragraphs.join('\n');
}

const SIGNATURE = '-- ';

function quoted(depth: number, text: string): string {
  if (depth === 0) return text;
  return text === '' ? '>'.repeat(depth) : `${'>'.repeat(depth)} ${text}`;
}
