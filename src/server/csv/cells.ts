import { z } from 'zod';
import { normalizeDomainName } from '@/lib/mail/address';

/** The words that databases, and spreadsheet programs in their languages, write for true and false. */
const TRUE =
  '1 1.0 t y true yes on wahr ja vrai oui verdadero sí si vero verdadeiro sim waar sant sann sand tosi prawda tak pravda ano igaz doğru истина да';
const FALSE =
  '0 0.0 f n false no off falsch nein faux non falso não onwaar nee falskt nej usann nei falsk epätosi fałsz nie nepravda ne hamis yanliş yanlış ложь нет';
const IS_ACTIVE = new Map([
  ...['', ...TRUE.split(' ')].map((word) => [word, true] as const),
  ...FALSE.split(' ').map((word) => [word, false] as const),
]);

/** The cell of `active`. Empty is true. */
export const ActiveCell = z.string().transform((text, ctx) => {
  const isActive = IS_ACTIVE.get(text.toLowerCase());
  if (isActive === undefined) ctx.addIssue({ code: 'custom', message: 'Enter true or false.' });
  return isActive ?? true;
});

/** A long number, such as a telephone number, as spreadsheet programs show and save it. */
const ROUNDED = /^\d(?:[.,]\d+)?e\+\d+$/i;
const ROUNDED_ERROR =
  'A spreadsheet has rounded this number. Format the column as text, and enter the whole number again.';

/** The local part of a cell that may have a whole address. An address of another domain is a problem. */
export function localPartOf(text: string, domainName: string): { localPart: string; problem: string | null } {
  const at = text.lastIndexOf('@');
  if (ROUNDED.test(at < 0 ? text : text.slice(0, at))) return { localPart: text, problem: ROUNDED_ERROR };
  const named = at < 0 ? null : normalizeDomainName(text.slice(at + 1));
  if (named === null) return { localPart: text, problem: null };
  if (named === domainName) return { localPart: text.slice(0, at), problem: null };
  const problem = `${text.slice(0, 254)} isn’t an address of ${domainName}. Import it into its own domain.`;
  return { localPart: text, problem };
}

/** Why a row is rejected whose address an earlier row of the file has. */
export function duplicateOf(firstLine: number): { code: 'CONFLICT'; message: string } {
  const message = `Duplicate of line ${firstLine}, which has the same address. Remove one of the lines.`;
  return { code: 'CONFLICT', message };
}

/** Returns the error message of a cell, which begins with its column. */
export function cellMessage(column: string, message: string): string {
  return `“${column}”: ${message}`;
}

/** A value as a cell: nothing for null, a list with commas, anything else but text as JSON. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
