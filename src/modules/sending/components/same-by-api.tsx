'use client';

import { useDebouncedValue } from '@mantine/hooks';
import Link from 'next/link';
import { CodeBlock } from '@/components/code-block';
import type { ComposeValues } from './compose-values';
import { curlOf } from './curl';

export function SameByApi({ values }: { values: ComposeValues }) {
  const [settled] = useDebouncedValue(values, 150);
  return (
    <>
      <CodeBlock title="The same by the API" code={curlOf(settled, window.location.origin)} what="the command" />
      <p className="hint">
        <code>$POSTROOM_KEY</code> stands for one of your <Link href="/api-keys">API keys</Link>.
      </p>
    </>
  );
}
