/** Says what is wrong with DNS records, by the message of the first one. */
export function brokenRecordsText(message: string, count: number): string {
  if (count === 1) return message;
  return `${message} ${count - 1} more ${count === 2 ? 'record needs' : 'records need'} a fix.`;
}
