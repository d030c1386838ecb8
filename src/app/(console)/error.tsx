'use client';

import { Crash } from '@/components/document/crash';

type ErrorPageProps = { error: Error & { digest?: string }; reset: () => void };

export default function ErrorPage({ error, reset }: ErrorPageProps) {
  return <Crash digest={error.digest} onRetry={reset} />;
}
