'use client';

import dynamic from 'next/dynamic';
import { type ComponentType, useState } from 'react';
import { loadPart } from '../load-part';

/** A dialog whose code is loaded when it first opens. It starts over each time it opens. */
export function lazyDialog<Props extends { opened: boolean }>(load: () => Promise<ComponentType<Props>>) {
  const Loaded = dynamic(() => loadPart(load()), { ssr: false }) as ComponentType<Props>;
  return function LazyDialog(props: Props) {
    const [{ times, opened }, setOpenings] = useState({ times: 0, opened: false });
    if (opened !== props.opened) setOpenings({ times: times + (props.opened ? 1 : 0), opened: props.opened });
    return times > 0 ? <Loaded key={times} {...props} /> : null;
  };
}
