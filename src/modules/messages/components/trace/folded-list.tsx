import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { IconChevronDown, IconChevronRight } from '@/components/icons/icons';
import { RawText } from '@/components/text/raw-text';
import { TextButton } from '@/components/text/text-button';
import classes from './folded-list.module.css';

type Item = { id: string; at: string; dateTime: string; text: ReactNode; raw: string | undefined };

/** The list of events folded into one stamp of a trace. */
export function FoldedList({ label, items }: { label: string; items: Item[] }) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <>
      <TextButton aria-expanded={isOpen} onClick={toggle}>
        <Chevron size={14} stroke={1.75} aria-hidden className={classes.chevron} />
        {label}
      </TextButton>
      {isOpen && (
        <ul className={classes.list} aria-label={label}>
          {items.map(({ id, at, dateTime, text, raw }) => (
            <li key={id}>
              <span className={classes.text}>{text}</span>
              <time dateTime={dateTime}>{at}</time>
              {raw && <RawText>{raw}</RawText>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
