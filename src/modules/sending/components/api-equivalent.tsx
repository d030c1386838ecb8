'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { NearLink } from '@/components/near-link';
import { SegmentedControl } from '@/components/segmented-control';
import { CodeBlock } from '@/components/values/code-block';
import { useOrigin } from '@/components/values/use-origin';
import classes from './api-equivalent.module.css';
import type { ComposeValues } from './compose/compose-values';
import { curlOf, nodeOf, pythonOf } from './snippets';

const LANGUAGES = { curl: 'curl', node: 'Node.js', python: 'Python' };
const SNIPPETS = { curl: curlOf, node: nodeOf, python: pythonOf };

export function ApiEquivalent({ values }: { values: ComposeValues }) {
  const [language, setLanguage] = useState<keyof typeof LANGUAGES>('curl');
  const origin = useOrigin();
  const [debouncedValues] = useDebouncedValue(values, 150);
  return (
    <>
      <div className={classes.block}>
        <CodeBlock
          title="API equivalent"
          hint={<SegmentedControl label="Language" value={language} options={LANGUAGES} onChange={setLanguage} />}
          code={SNIPPETS[language](debouncedValues, origin)}
          what={language === 'curl' ? 'the command' : 'the program'}
          isProgram
        />
      </div>
      <p className={classes.hint}>
        Set <code>POSTROOM_KEY</code> to one of your <NearLink href="/api-keys">API keys</NearLink>.
      </p>
    </>
  );
}
