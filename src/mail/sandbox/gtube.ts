/** Looks for the line that every spam filter is tested with, in a message that passes through. */
export function createGtubeFilter() {
  let tail = Buffer.alloc(0);
  let isFound = false;
  return {
    async *passOn(message: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of message) {
        if (!isFound) {
          const seam = Buffer.concat([tail, chunk.subarray(0, GTUBE.length)]);
          isFound = seam.includes(GTUBE) || chunk.includes(GTUBE);
          tail = Buffer.concat([tail, chunk.subarray(-GTUBE.length)]).subarray(-GTUBE.length);
        }
        yield chunk;
      }
    },
    /** As Rspamd scores it; the sandbox holds such mail instead of refusing it, so that it can be looked at. */
    verdict: () => (isFound ? { score: 15, action: 'quarantine' } : null),
  };
}

const GTUBE = Buffer.from('XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X');
