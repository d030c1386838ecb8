/**
 * Where the header of a message ends: the position of the line break before the empty line; null without an empty line.
 * @param message a text, or a Buffer
 */
export function headerEnd(message: { indexOf(text: string): number }): number | null {
  const ends = [message.indexOf('\r\n\r\n'), message.indexOf('\n\n')].filter((end) => end >= 0);
  return ends.length > 0 ? Math.min(...ends) : null;
}
