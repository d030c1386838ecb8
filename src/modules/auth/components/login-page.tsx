'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearchParams } from 'next/navigation';
import { reportSessionRegained } from '@/components/api/session-lost';
import { safeNextPath } from '@/lib/routes';
import { LoginForm } from './login-form';
import { AddressLines, Postcard } from './postcard';

export function LoginPage() {
  const router = useRouter();
  const next = safeNextPath(useSearchParams().get('next'));
  const queryClient = useQueryClient();

  const enter = () => {
    queryClient.clear();
    reportSessionRegained();
    router.replace(next);
  };

  return (
    <Postcard lines={<AddressLines lines={['Postroom administration', 'For the admins of this server']} />}>
      <h1>Sign in</h1>
      <LoginForm onSignedIn={enter} />
    </Postcard>
  );
}
