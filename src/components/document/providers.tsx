'use client';

import { MantineProvider } from '@mantine/core';
import { catchError } from 'next/error';
import type { ReactNode } from 'react';
import { Crash } from './crash';
import classes from './crash.module.css';
import { PageFocus } from './page-focus';
import { cssVariablesResolver, theme } from './theme';

/** Shows that a page failed. An `error.tsx` beside the layout would do the same, but is a script of its own for every page. */
const Caught = catchError<object>((_, { error }) => (
  <div className={classes.whole}>
    <Crash digest={(error as { digest?: string }).digest} />
  </div>
));

/** The theme, the error boundary and the focus handling of every page. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <Caught>{children}</Caught>
      <PageFocus />
    </MantineProvider>
  );
}
