'use client';

import Link from 'next/link';
import { type ComponentProps, useState } from 'react';

/** A link whose page is loaded ahead when the pointer or the focus is on it, not because it is on the screen. */
export function NearLink({ prefetch, onMouseEnter, onFocus, ...props }: ComponentProps<typeof Link>) {
  const [isNear, setIsNear] = useState(false);
  return (
    <Link
      {...props}
      prefetch={isNear ? prefetch : false}
      onMouseEnter={(event) => {
        setIsNear(true);
        onMouseEnter?.(event);
      }}
      onFocus={(event) => {
        setIsNear(true);
        onFocus?.(event);
      }}
    />
  );
}
