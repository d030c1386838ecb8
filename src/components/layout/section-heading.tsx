import type { ReactNode } from 'react';
import classes from './section-heading.module.css';

type SectionHeadingProps = {
  title: ReactNode;
  /** Labels the section. */
  id?: string;
  level?: 2 | 3;
  isUnderlined?: boolean;
  children?: ReactNode;
};

export function SectionHeading({ title, id, level = 2, isUnderlined, children }: SectionHeadingProps) {
  const Title = `h${level}` as const;
  return (
    <div className={classes.heading} data-underlined={isUnderlined || undefined}>
      <Title id={id}>{title}</Title>
      {children}
    </div>
  );
}
