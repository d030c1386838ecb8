import { RawText } from '@/components/text/raw-text';
import { CopyIcon } from '@/components/values/copy-button';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import type { DnsRecord } from '../../dns/schema';
import classes from './dns.module.css';
import { fieldsOf, relativeName } from './dns-values';
import { type DiffPart, diffValues } from './value-diff';

type RecordFieldsProps = {
  record: DnsRecord;
  expected: string;
  domain: string;
  /** The whole value is shown beside it, so only its parts are listed. */
  isPartsOnly?: boolean;
};

/** The values to enter in the form of a DNS provider. */
export function RecordFields({ record, expected, domain, isPartsOnly }: RecordFieldsProps) {
  const { purpose, type, name } = record;
  const { label } = DNS_PURPOSE_TEXTS[purpose];
  const short = relativeName(name, domain);
  const fields = fieldsOf(type, expected);
  const shown = isPartsOnly && fields.length === 1 ? [] : fields;
  return (
    <dl className={classes.fields}>
      <div>
        <dt>Type</dt>
        <dd className="mono">{type}</dd>
      </div>
      <div>
        <dt>Name</dt>
        <dd>
          <span className="mono wrap">{short}</span>
          <CopyIcon value={short} what={`the name of ${label} ${short}`} />
        </dd>
      </div>
      {shown.map(({ label: field, value }) => (
        <div key={field} data-long={value.length > 40 || undefined}>
          <dt>{field}</dt>
          <dd>
            <span className="mono wrap">{value}</span>
            <CopyIcon value={value} what={`the ${field.toLowerCase()} of ${label} ${short}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The value to publish, with what differs from the one that was found. */
export function ExpectedValue({ expected, found }: { expected: string; found: string | undefined }) {
  const parts = found === undefined ? [{ text: expected, isChanged: false }] : diffValues(expected, found).expected;
  return <Marked parts={parts} tone="postmark" />;
}

/** The values that were found, with what differs from the one to publish. */
export function FoundValues({ expected, found }: { expected: string | null; found: string[] }) {
  return (
    <div className={classes.values}>
      {found.map((value) => (
        <Marked
          key={value}
          parts={expected === null ? [{ text: value, isChanged: false }] : diffValues(expected, value).found}
          tone="bounced"
        />
      ))}
    </div>
  );
}

function Marked({ parts, tone }: { parts: DiffPart[]; tone: 'postmark' | 'bounced' }) {
  return (
    <RawText tabIndex={0}>
      {parts.map(({ text, isChanged }, index) => {
        const key = `${index} ${text}`;
        return isChanged ? (
          <mark key={key} data-tone={tone}>
            {text}
          </mark>
        ) : (
          <span key={key}>{text}</span>
        );
      })}
    </RawText>
  );
}
