'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSection } from '@/components/settings-section';
import { CodeBlock } from '@/components/values/code-block';
import classes from './verify-signature.module.css';
import { NODE_SNIPPET, opensslSnippet, PYTHON_SNIPPET, STANDARD_SNIPPET } from './verify-snippets';

const HEADERS: [name: string, meaning: string][] = [
  ['X-Service-Signature', 'Hex HMAC-SHA256 of the raw body, keyed with the secret as shown, including whsec_'],
  ['X-Service-Signature-Previous', 'Signature with the previous secret, during the grace period of a rotation'],
  ['X-Service-Delivery', 'Delivery ID, the same on every attempt and replay. Store it to detect repeats'],
  ['X-Service-Event', 'Event type, also in the body'],
  ['X-Service-Attempt', '1 for the first attempt'],
  ['X-Service-Timestamp', 'Time of this attempt in Unix seconds'],
  ['webhook-id, webhook-timestamp, webhook-signature', 'Standard Webhooks signature, which also covers the timestamp'],
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
  node: [NODE_SNIPPET, 'no package needed'],
  standard: [STANDARD_SNIPPET, 'needs a package, also rejects old deliveries'],
  python: [PYTHON_SNIPPET, 'no package needed'],
  openssl: [opensslSnippet(), 'for a body saved to a file; compare the output with the header'],
};

export function VerifySignature() {
  const [language, setLanguage] = useQueryState('language', parseAsStringLiteral(LANGUAGES).withDefault('node'));
  const [code, hint] = SNIPPETS[language];
  return (
    <>
      <SettingsSection
        title="Sample code"
        hint="Compute the signature over the raw bytes of the body. JSON that was parsed and serialized again has different bytes."
      >
        <div className={classes.sample}>
          <SegmentedControl
            label="Language"
            value={language}
            options={NAMES}
            narrow="columns"
            onChange={(value) => void setLanguage(value)}
          />
          <CodeBlock
            title={NAMES[language]}
            hint={hint}
            code={code}
            what={language === 'openssl' ? 'the command' : 'the code'}
          />
          <p className="soft">
            Set <code>POSTROOM_WEBHOOK_SECRET</code> to the webhook’s secret. Lost it? Rotate the secret in Settings.
          </p>
        </div>
      </SettingsSection>
      <SettingsSection title="Headers" hint="Sent with every delivery.">
        <dl className={classes.headers}>
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
      <SettingsSection title="Responses" hint="How your endpoint should respond.">
        <ul className={classes.responses}>
          <li>
            <b>2xx within 10 seconds</b> counts as delivered. Respond first, then do the work.
          </li>
          <li>
            <b>Anything else,</b> including redirects, is retried after 30 seconds, 2 minutes, 15 minutes, 1 hour and 2
            hours; then the delivery is abandoned.
          </li>
          <li>
            <b>Deliveries arrive at least once</b> and in no guaranteed order. Repeats have the same delivery ID.
          </li>
        </ul>
      </SettingsSection>
    </>
  );
}
