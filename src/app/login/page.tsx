import type { Metadata } from 'next';
import { LoginPage } from '@/modules/auth/components/sign-in/login-page';
import { listProviders } from '@/modules/auth/oidc/providers';

export const metadata: Metadata = { title: 'Sign in' };

export default function Page() {
  return <LoginPage providers={listProviders()} />;
}
