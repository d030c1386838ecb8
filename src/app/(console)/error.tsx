'use client';

import { Crash } from '@/components/document/crash';

type ErrorPageProps = { error: Error & { digest?: string } };

export default function ErrorPage({ error }: ErrorPageProps) {
  return <Crash digest={error.digest} />;
}
