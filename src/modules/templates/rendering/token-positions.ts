import { Token } from 'liquidjs';

/** The last template and where its lines start. */
let known = { input: '', starts: [0] };

/**
 * Makes tokens of Liquid find their line and column with the lines of the template. The library reads the template from its start for
 * every variable, which takes half a minute for a large one.
 */
export function findPositionsByLine(): void {
  Token.prototype.getPosition = function (this: Token) {
    if (known.input !== this.input) known = { input: this.input, starts: lineStarts(this.input) };
    const { starts } = known;
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= this.begin) low = middle;
      else high = middle;
    }
    return [low + 1, this.begin - (starts[low] as number) + 1];
  };
}

function lineStarts(input: string): number[] {
  const starts = [0];
  for (let at = input.indexOf('\n'); at >= 0; at = input.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
