import { BYTE_ORDER_MARK } from '@/lib/csv/csv-line';

/** Browsers may read a file only after the click has ended. */
const KEPT_MS = 40_000;

/** Lets the browser download a file. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** @param csv lines of csvLine */
export function saveCsv(csv: string, name: string): void {
  saveFile(new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv' }), name);
}
