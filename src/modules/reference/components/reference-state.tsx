'use client';

import { createContext, type ReactNode, use, useState } from 'react';
import { trpc } from '@/components/api/trpc';

export const LANGUAGES = { curl: 'curl', node: 'Node.js', python: 'Python' };

type Language = keyof typeof LANGUAGES;

type State = {
  /** The API key that operations are tried with. */
  triedKey: string;
  setTriedKey: (key: string) => void;
  /** The language of all code. */
  language: Language;
  setLanguage: (language: Language) => void;
};

type ReferenceStateProps = { cookie: string; storedLanguage?: string; children: ReactNode };

const YEAR_SECONDS = 365 * 24 * 60 * 60;

const ReferenceContext = createContext<State | null>(null);

/** Keeps the key until the reference is left or another admin signs in, and the language for a year. */
export function ReferenceState({ cookie, storedLanguage = '', children }: ReferenceStateProps) {
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const admin = me.data?.id;
  const [entered, setEntered] = useState<{ key: string; by?: string }>({ key: '' });
  const [language, setLanguage] = useState<Language>(isLanguage(storedLanguage) ? storedLanguage : 'curl');
  const state: State = {
    triedKey: entered.by === admin ? entered.key : '',
    setTriedKey: (key) => setEntered({ key, by: admin }),
    language,
    setLanguage: (chosen) => {
      setLanguage(chosen);
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS
      document.cookie = `${cookie}=${chosen}; Path=/reference; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
    },
  };
  return <ReferenceContext value={state}>{children}</ReferenceContext>;
}

export function useReferenceState(): State {
  const state = use(ReferenceContext);
  if (!state) throw new Error('A page of the reference is outside of its layout.');
  return state;
}

function isLanguage(value: string): value is Language {
  return Object.hasOwn(LANGUAGES, value);
}
