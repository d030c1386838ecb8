import type { ReactNode } from 'react';
import { DataProviders } from '@/components/document/data-providers';
import { pageNonce } from '@/components/document/nonce';
import { Shell } from '@/components/shell/shell';
import { SignInAgain } from '@/modules/auth/components/sign-in/sign-in-again';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  return (
    <DataProviders nonce={await pageNonce()}>
      <Shell signInAgain={<SignInAgain />}>{children}</Shell>
    </DataProviders>
  );
}
