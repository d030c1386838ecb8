export function amountOf(count: number): string {
  return count.toLocaleString('en');
}
