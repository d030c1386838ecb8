/** The addresses of an alias's `destination`, which the API defines as a comma-separated list. Addresses have no commas. */
export function splitDestinations(destination: string): string[] {
  return destination.split(',');
}
