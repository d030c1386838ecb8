import type { ReactNode } from 'react';
import { DataProviders } from '@/components/document/data-providers';
import { pageNonce } from '@/components/document/nonce';

export default async function SetupLayout({ children }: { children: ReactNode }) {
  return <DataProviders nonce={await pageNonce()}>{children}</DataProviders>;
}
