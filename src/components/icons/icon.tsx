import type { ComponentPropsWithRef } from 'react';

export type IconProps = Omit<ComponentPropsWithRef<'svg'>, 'stroke'> & {
  /** Width and height in pixels, or as CSS. */
  size?: number | string;
  /** Width of the lines, where the icon is 24 units wide. */
  stroke?: number;
};

type Path = { d: string; fill?: 'currentColor' };

/** Returns the component of an icon that consists of these lines. */
export function icon(...paths: (string | Path)[]) {
  return function Icon({ size = 24, stroke = 2, ...props }: IconProps) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={stroke}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...props}
      >
        {paths.map((path) => {
          const attributes = typeof path === 'string' ? { d: path } : path;
          return <path key={attributes.d} {...attributes} />;
        })}
      </svg>
    );
  };
}

export function dot(d: string): Path {
  return { d, fill: 'currentColor' };
}
