import { cpuSeconds } from './cpu.mjs';

/** Milliseconds of CPU for each call, and calls per second. */
export async function costOf(run, count, pids) {
  const before = cpuOf(pids);
  const rate = await run();
  const used = Object.entries(cpuOf(pids)).map(([name, seconds]) => [name, ((seconds - before[name]) * 1000) / count]);
  return { rate, ...Object.fromEntries(used) };
}

/** @returns {Record<string, any>} seconds by name */
function cpuOf(pids) {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSeconds(pid)]));
}

/**
 * How many calls or messages a process needs until V8 has compiled what they run. Before that, a message takes up to three times as
 * much of the app's CPU.
 */
const WARM_AFTER = 8_000;

/** Rounds of `count` calls until the app is warm. */
export function roundsToWarmUp(count) {
  return Math.ceil(WARM_AFTER / count);
}

/**
 * The median of each figure, after rounds that only warm up.
 * @returns {Promise<any>} by name of the measure and of the figure
 */
export async function alternate(rounds, measures, warmUps = 1) {
  /** @type {{ name: string, figures: any[] }[]} */
  const results = Object.keys(measures).map((name) => ({ name, figures: [] }));
  for (let round = 0; round < warmUps + rounds; round++)
    for (const { name, figures } of results) {
      const measured = await measures[name]();
      if (round >= warmUps) figures.push(measured);
    }
  return Object.fromEntries(results.map(({ name, figures }) => [name, medians(figures)]));
}

function medians(figures) {
  return Object.fromEntries(Object.keys(figures[0]).map((key) => [key, median(figures.map((each) => each[key]))]));
}

function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
