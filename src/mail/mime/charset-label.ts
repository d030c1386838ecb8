import iconv from 'iconv-lite';

/** A decoder: one of iconv-lite's, or one of the two of this folder. */
export type Decoder = { name: string; kind: 'utf-8' | 'iso-2022' | 'hz' | 'unicode' | 'single-byte' | 'multi-byte' };

/**
 * The decoder for a charset's label as mail and web pages write it: quotes, other separators, a prefix such as `x-`, a
 * language or a transliteration behind it are forgiven. As on the web, a label means the largest charset that goes by
 * it: `us-ascii` and `iso-8859-1` are windows-1252, `gb2312` is gb18030. Null if the label names no charset.
 */
export function decoderFor(label: string): Decoder | null {
  const trimmed = label.trim().replace(/^["'<(\s]+/, '');
  return withoutPrefix(trimmed) ?? withoutPrefix(trimmed.split(/["'<>();,$\s]/, 1)[0] ?? '');
}

function withoutPrefix(label: string): Decoder | null {
  const whole = label.toLowerCase().replace(/\*.*|\/\/.*|:\d{4}$|[^a-z0-9]/gs, '');
  const short = whole.replace(/^(?:x+(?=[a-z])|cs(?=iso|utf|unicode|shift|euc|koi|big5|gb|ks|ibm|windows|mac|hz))/, '');
  const number = /^(?:cp|ibm|ms|dos|oem|win|windows|mscp)(\d+)$/.exec(short)?.[1];
  for (const name of [short, number && `cp${number}`, whole, `iso${short}`]) {
    const decoder = name ? named(name) : null;
    if (decoder) return decoder;
  }
  return null;
}

function named(name: string): Decoder | null {
  if (/^(?:iso2022(?:jp|kr|cn)|jis7?$|cp5022\d$)/.test(name)) return { name: 'iso-2022', kind: 'iso-2022' };
  if (/^hz(?:gb2312)?$/.test(name)) return { name: 'hz', kind: 'hz' };
  if (/^(?:unicode11)?utf8(?:mb4|bom|sig)?$|^(?:cp)?65001$|^cesu8$/.test(name)) return { name: 'utf-8', kind: 'utf-8' };
  const decoder = ALIASES.get(name) ?? name;
  if (NOT_A_CHARSET.test(decoder) || !iconv.encodingExists(decoder)) return null;
  if (/^(?:utf|ucs)/.test(decoder)) return { name: decoder, kind: 'unicode' };
  return { name: decoder, kind: MULTI_BYTE.test(decoder) ? 'multi-byte' : 'single-byte' };
}

// Encodings that iconv-lite knows besides charsets.
const NOT_A_CHARSET = /^(?:base64|hex|binary|utf7imap)$/;

const MULTI_BYTE = /gb|big5|euc|jis|ksc|korean|9(?:32|36|49|50)$/;

const ALIASES = new Map(
  Object.entries({
    windows1252:
      'ascii usascii 646 us iso646us iso646irv1991 ansix341968 iso88591 latin1 l1 isoir100 isolatin1 cp819 ansi',
    gb18030:
      'gb2312 gb231280 euccn gbk gb cp936 chinese isoir58 gb180302000 gb180302005 gb180302022 cngb iso58gb231280',
    cp949: 'ksc56011987 ksc56011989 ksc5601 korean euckr uhc isoir149',
    shiftjis: 'sjis mskanji cp932 windows31j cp943 shiftjis2004 shiftjisx0213',
    eucjp: 'eucjpms eucjpwin cp51932 ujis eucjis2004 extendedunixcodepackedformatforjapanese',
    big5hkscs: 'big5 cnbig5 big5eten cp950 big5hkscs2004 big5hkscs1999 big52003',
    windows1254: 'iso88599 latin5 l5 isolatin5 isoir148',
    windows874: 'iso885911 tis620 tis6200 tis6202533 cp874',
    iso88598: 'iso88598i iso88598e logical visual hebrew isolatinhebrew',
    macroman: 'mac macintosh macosroman',
    maccyrillic: 'maccyrillic macukrainian macukraine',
    utf7: 'unicode11utf7',
    utf16: 'unicode ucs2 iso10646ucs2 utf16 iso10646',
    utf16be: 'unicodefffe unicodebig',
    utf16le: 'unicodefeff unicodelittle',
    utf32: 'ucs4 iso10646ucs4',
  }).flatMap(([decoder, labels]) => labels.split(' ').map((label) => [label, decoder] as const)),
);
