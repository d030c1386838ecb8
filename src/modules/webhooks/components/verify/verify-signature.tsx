'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { CodeBlock } from '@/components/code-block';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSection } from '@/components/settings-section';
import { NODE_SNIPPET, opensslSnippet, PYTHON_SNIPPET, STANDARD_SNIPPET } from './verify-snippets';

const HEADERS: [name: string, meaning: string][] = [
  ['X-Service-Signature', 'HMAC-SHA256 of the raw body in hex, keyed with the secret as it was shown, whsec_ included'],
  ['X-Service-Signature-Previous', 'The same with the old secret, for as long as it signs as well'],
  ['X-Service-Delivery', 'The same on every attempt: keep it, and work on each only once'],
  ['X-Service-Event', 'The type of the event, also in the body'],
  ['X-Service-Attempt', '1, and one more for each attempt'],
  ['X-Service-Timestamp', 'When this attempt was signed, in seconds since 1970'],
  [
    'webhook-id, webhook-timestamp, webhook-signature',
    'The same proof as Standard Webhooks has it; it covers the time too',
  ],
];

const LANGUAGES = ['node', 'standard', 'python', 'openssl'] as const;
type Language = (typeof LANGUAGES)[number];

const NAMES: Record<Language, string> = {
  node: 'Node.js',
  standard: 'Standard Webhooks',
  python: 'Python',
  openssl: 'openssl',
};
const SNIPPETS: Record<Language, [code: string, hint: string]> = {
  node: [NODE_SNIPPET, 'needs no package'],
  standard: [STANDARD_SNIPPET, 'with a package, also refuses what is old'],
  python: [PYTHON_SNIPPET, 'needs no package'],
  openssl: [opensslSnippet(), 'for a body kept as a file; compare what it prints'],
};

export function VerifySignature() {
  const [language, setLanguage] = useQueryState('language', parseAsStringLiteral(LANGUAGES).withDefault('node'));
  const [code, hint] = SNIPPETS[language];
  return (
    <>
      <SettingsSection
        title="In a program"
        hint="Take the signature over the bytes as they came. JSON that is parsed and written again has other bytes."
      >
        <div className="verify">
          <SegmentedControl
            label="Language"
            value={language}
            options={NAMES}
            onChange={(value) => void setLanguage(value)}
          />
          <CodeBlock
            title={NAMES[language]}
            hint={hint}
            code={code}
            what={language === 'openssl' ? 'the command' : 'the program'}
          />
          <p className="soft">
            <code>POSTROOM_WEBHOOK_SECRET</code> stands for the secret. Who has lost it makes a new one in the settings.
          </p>
        </div>
      </SettingsSection>
      <SettingsSection title="Headers" hint="What every delivery carries, beside its JSON body.">
        <dl className="header-facts">
          {HEADERS.map(([name, meaning]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </SettingsSection>
      <SettingsSection title="Answers" hint="What an endpoint should answer, and by when.">
        <ul className="plain-facts">
          <li>
            <b>2xx within 10 seconds</b> means that it has arrived. Answer first, work afterwards.
          </li>
          <li>
            <b>Anything else</b> is tried again after 30 seconds, 2 minutes, 15 minutes, 1 hour and 2 hours, then
            abandoned. A redirect is not followed.
          </li>
          <li>
            <b>The same event can come twice,</b> and a later one before an earlier one.
          </li>
        </ul>
      </SettingsSection>
    </>
  );
}
