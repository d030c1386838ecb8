const MB = 1_048_576;

export function amountOf(count: number): string {
  return count.toLocaleString('en');
}

export function sizeOf(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}
