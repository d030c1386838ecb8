import type { ReactNode } from 'react';
import { DataProviders } from '@/components/document/data-providers';
import { pageNonce } from '@/components/document/nonce';
import { Shell } from '@/components/shell/shell';
import { SignInAgain } from '@/modules/auth/components/sign-in/sign-in-again';
import { mtaKind } from '@/server/settings/mta-kind';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const nonce = await pageNonce();
  return (
    <DataProviders nonce={nonce}>
      <Shell mta={mtaKind()} signInAgain={<SignInAgain />}>
        {children}
      </Shell>
    </DataProviders>
  );
}
