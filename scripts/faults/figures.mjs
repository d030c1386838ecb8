export function figures(line) {
  console.log(`      ${line}`);
}

/** Percentile of unsorted numbers. */
export function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
