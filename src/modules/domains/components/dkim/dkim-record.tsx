import { CodeBlock } from '@/components/values/code-block';
import type { DkimKey } from '../../dkim/schema';
import classes from './dkim.module.css';

const MAX_STRING_LENGTH = 255;

export function DkimRecord({ selector, dns_record: { type, name, value } }: DkimKey) {
  return (
    <div className={classes.record}>
      <CodeBlock title="Name" hint={`of the ${type} record`} code={name} what={`the name of ${selector}`} />
      <CodeBlock title="Value" code={value} what={`the value of ${selector}`} />
      {value.length > MAX_STRING_LENGTH && (
        <p className="quiet">
          Most DNS providers accept the value as is. If yours limits strings to {MAX_STRING_LENGTH} characters, split
          the value into several quoted strings.
        </p>
      )}
    </div>
  );
}
