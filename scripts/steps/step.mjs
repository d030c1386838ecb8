/**
 * Prints a label, runs the action, and prints how long it took.
 * @template T
 * @param {string} label
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T>}
 */
export async function step(label, action) {
  const startedAt = Date.now();
  process.stdout.write(`${label} … `);
  try {
    const result = await action();
    process.stdout.write(`${secondsSince(startedAt)}\n`);
    return result;
  } catch (error) {
    process.stdout.write('failed\n');
    throw error;
  }
}

export function secondsSince(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
