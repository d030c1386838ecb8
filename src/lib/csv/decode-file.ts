/** Encodings of files that aren't Unicode, by what a spreadsheet program calls them. The first is the default. */
export const CODE_PAGES = [
  { value: 'windows-1252', label: 'Western European (Windows-1252)', languages: '' },
  { value: 'windows-1250', label: 'Central European (Windows-1250)', languages: 'bs cs hr hu pl ro sk sl sq' },
  { value: 'windows-1251', label: 'Cyrillic (Windows-1251)', languages: 'be bg kk ky mk mn ru sr tg uk' },
  { value: 'windows-1253', label: 'Greek (Windows-1253)', languages: 'el' },
  { value: 'windows-1254', label: 'Turkish (Windows-1254)', languages: 'az tr' },
  { value: 'windows-1255', label: 'Hebrew (Windows-1255)', languages: 'he' },
  { value: 'windows-1256', label: 'Arabic (Windows-1256)', languages: 'ar fa ur' },
  { value: 'windows-1257', label: 'Baltic (Windows-1257)', languages: 'et lt lv' },
  { value: 'windows-1258', label: 'Vietnamese (Windows-1258)', languages: 'vi' },
  { value: 'windows-874', label: 'Thai (Windows-874)', languages: 'th' },
  { value: 'shift_jis', label: 'Japanese (Shift_JIS)', languages: 'ja' },
  { value: 'gb18030', label: 'Chinese, simplified (GB18030)', languages: 'zh' },
  { value: 'big5', label: 'Chinese, traditional (Big5)', languages: '' },
  { value: 'euc-kr', label: 'Korean (EUC-KR)', languages: 'ko' },
  { value: 'macintosh', label: 'Western European (Mac Roman)', languages: '' },
] as const;

export type CodePage = (typeof CODE_PAGES)[number]['value'];

/** Returns the text of a file in Unicode, or null if it is in none of its encodings. */
export function decodeUnicode(bytes: Uint8Array): string | null {
  const utf16 = utf16Of(bytes);
  try {
    return new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Returns the code page that spreadsheet programs use where this language is spoken. */
export function codePageOf(language: string): CodePage {
  if (/^zh-(tw|hk|mo|hant)/i.test(language)) return 'big5';
  const name = language.slice(0, 2).toLowerCase();
  return CODE_PAGES.find(({ languages }) => languages.split(' ').includes(name))?.value ?? CODE_PAGES[0].value;
}

/** With a byte order mark, or where every other byte of the start is zero, as in names of columns. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length < 2 || bytes.length % 2 !== 0) return null;
  if (first !== 0 && second === 0) return 'utf-16le';
  return first === 0 && second !== 0 ? 'utf-16be' : null;
}
