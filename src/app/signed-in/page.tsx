import type { Metadata } from 'next';
import { OidcSignedIn } from '@/modules/auth/components/oidc/oidc-signed-in';

export const metadata: Metadata = { title: 'One moment' };

export default function Page() {
  return <OidcSignedIn />;
}
