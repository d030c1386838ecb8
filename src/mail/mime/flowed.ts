/**
 * Joins the lines of format=flowed text to paragraphs (RFC 3676). Lines of different quote depth are never joined, and
 * an empty line ends a paragraph even after a line that asks to be continued.
 * @param text with LF as line ends
 * @param isSpaceDeleted the parameter DelSp
 */
export function joinFlowed(text: string, isSpaceDeleted: boolean): string {
  const paragraphs: string[] = [];
  let open: { depth: number; text: string } | null = null;
  const close = () => {
    if (open) paragraphs.push(quoted(open.depth, open.text));
    open = null;
  };
  for (const line of text.split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0;
    const content = line.slice(depth).replace(/^ /, '');
    if (open && (open.depth !== depth || content === '' || content === SIGNATURE)) close();
    const whole: string = (open?.text ?? '') + content;
    const isContinued = content.endsWith(' ') && content !== SIGNATURE;
    open = { depth, text: isContinued && isSpaceDeleted ? whole.slice(0, -1) : whole };
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
