type Names = { email: string; list: string; domain: string };

type Texts = {
  title: string;
  ask: (names: Names) => string;
  unsubscribe: string;
  done: (names: Names) => string;
  resubscribe: string;
  invalidTitle: string;
  invalid: string;
  unavailable: string;
};

/** The texts of the page, which recipients read in their own language. */
const TEXTS = {
  en: {
    title: 'Unsubscribe',
    ask: ({ email, list, domain }) => `${email} gets mail of the list “${list}” from ${domain}.`,
    unsubscribe: 'Unsubscribe',
    done: ({ email, list, domain }) => `${email} is unsubscribed from the list “${list}” of ${domain}.`,
    resubscribe: 'Subscribe again',
    invalidTitle: 'This link isn’t valid',
    invalid: 'Open the link in the newest message again, or answer the message.',
    unavailable: 'The page is temporarily unavailable. Try again in a few minutes.',
  },
  de: {
    title: 'Abmelden',
    ask: ({ email, list, domain }) => `${email} bekommt die Nachrichten der Liste „${list}“ von ${domain}.`,
    unsubscribe: 'Abmelden',
    done: ({ email, list, domain }) => `${email} ist von der Liste „${list}“ von ${domain} abgemeldet.`,
    resubscribe: 'Wieder anmelden',
    invalidTitle: 'Dieser Link ist ungültig',
    invalid: 'Öffnen Sie den Link in der neuesten Nachricht noch einmal, oder antworten Sie auf die Nachricht.',
    unavailable: 'Die Seite ist vorübergehend nicht verfügbar. Versuchen Sie es in einigen Minuten noch einmal.',
  },
} satisfies Record<string, Texts>;

export type Language = keyof typeof TEXTS;

export function textsIn(language: Language): Texts {
  return TEXTS[language];
}

const MAX_LENGTH = 500;

/** The language that a browser prefers of those that there are (RFC 9110, 12.5.4), else English. */
export function preferredLanguage(acceptLanguage: string | null): Language {
  const ranges = (acceptLanguage ?? '').slice(0, MAX_LENGTH).toLowerCase().split(',');
  const known = ranges.flatMap((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const language = tag.split('-')[0] ?? '';
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    return Object.hasOwn(TEXTS, language) && weight > 0 ? [{ language: language as Language, weight }] : [];
  });
  return known.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? 'en';
}
