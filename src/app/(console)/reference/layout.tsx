import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { ReferenceState } from '@/modules/reference/components/reference-state';

const LANGUAGE_COOKIE = 'postroom_code';

export default async function Layout({ children }: { children: ReactNode }) {
  const storedLanguage = (await cookies()).get(LANGUAGE_COOKIE)?.value;
  return (
    <ReferenceState cookie={LANGUAGE_COOKIE} storedLanguage={storedLanguage}>
      {children}
    </ReferenceState>
  );
}
