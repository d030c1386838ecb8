import { handleMetrics } from '@/api';

/** The samples of a scrape by name and labels, as they are written: `up{job="a"}`. */
export type Samples = Map<string, number>;

export const METRICS_TOKEN = 'metrics-token-of-the-tests';

/** Asks the route for its metrics. Set METRICS_TOKEN in the environment before. */
export async function scrape(): Promise<{ text: string; samples: Samples }> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const response = await handleMetrics(new Request('http://localhost:3000/api/metrics', { headers }));
  if (response.status !== 200) throw new Error(`the scrape was answered with ${response.status}`);
  const text = await response.text();
  return { text, samples: samplesOf(text) };
}

function samplesOf(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))] as const;
    }),
  );
}

/** By how much a sample grew. */
export function growth(before: Samples, after: Samples, sample: string): number {
  return (after.get(sample) ?? Number.NaN) - (before.get(sample) ?? 0);
}
