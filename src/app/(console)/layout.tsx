import type { ReactNode } from 'react';
import { Shell } from '@/components/shell/shell';
import { SignInAgain } from '@/modules/auth/components/sign-in/sign-in-again';

export default function ConsoleLayout({ children }: { children: ReactNode }) {
  return <Shell signInAgain={<SignInAgain />}>{children}</Shell>;
}
