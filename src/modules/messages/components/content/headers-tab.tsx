import { CopyButton } from '@/components/values/copy-button';
import { formatPlural } from '@/lib/format';
import type { MessageContent } from '../../content/schema';
import { Truncated } from './content-tab';
import classes from './content-tab.module.css';

export function HeadersTab({ content }: { content: MessageContent }) {
  const { headers } = content;
  const text = headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return (
    <div className={classes.content}>
      <div className={classes.bar}>
        <span className="quiet">{formatPlural(headers.length, 'header field', 'header fields')}, decoded</span>
        <span className="spacer" />
        <CopyButton value={text} label="Copy headers" />
      </div>
      <Truncated content={content} />
      <dl className={classes.list}>
        {headers.map(({ name, value }, index) => (
          // Names repeat, and the list never changes.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <div key={index}>
            <dt className="mono">{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
