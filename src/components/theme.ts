import {
  ActionIcon,
  Button,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  Input,
  type MantineColorsTuple,
  Menu,
  Modal,
  Switch,
  Tabs,
  Tooltip,
} from '@mantine/core';

const pine: MantineColorsTuple = [
  '#EEF5F0', '#D9EADF', '#B5D7C3', '#8BCFAC', '#5BAA85', '#3A8C69', '#27734F', '#1B6448', '#14583F', '#0E4230',
];
const gray: MantineColorsTuple = [
  '#F3F0E8', '#ECE8DE', '#E2DED3', '#D5D0C3', '#C8C3B5', '#868D86', '#626D67', '#46534D', '#2B3732', '#16201C',
];
const dark: MantineColorsTuple = [
  '#E8EBE4', '#B0BAB3', '#8F9A93', '#6E7A74', '#3B4842', '#242E2A', '#151D1A', '#0E1412', '#0A0F0D', '#060908',
];

export const theme = createTheme({
  colors: { pine, gray, dark },
  primaryColor: 'pine',
  primaryShade: { light: 8, dark: 3 },
  black: '#16201C',
  fontFamily: "var(--font-plex-sans), 'IBM Plex Sans Variable', system-ui, sans-serif",
  fontFamilyMonospace: "var(--font-plex-mono), 'IBM Plex Mono', ui-monospace, monospace",
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '2px', sm: '4px', md: '4px', lg: '4px', xl: '4px' },
  defaultRadius: 'sm',
  shadows: { xs: 'none', sm: 'none', md: 'var(--lift)', lg: 'var(--lift)', xl: 'var(--lift)' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      defaultProps: { variant: 'default' },
      vars: (_, { size, variant }) => ({
        root: {
          '--button-height': size === 'xs' ? '28px' : '32px',
          '--button-padding-x': size === 'xs' ? '8px' : '12px',
          '--button-fz': '13px',
          ...(variant === 'filled' && { '--button-color': 'var(--on-pine)' }),
        },
      }),
    }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray' },
      vars: () => ({ root: { '--ai-size': '28px', '--ai-color': 'var(--ink-2)', '--ai-hover': 'var(--hover)' } }),
    }),
    Input: Input.extend({
      vars: () => ({ wrapper: { '--input-height': '32px', '--input-fz': '13px' } }),
    }),
    InputWrapper: Input.Wrapper.extend({ defaultProps: { inputWrapperOrder: ['label', 'input', 'error', 'description'] } }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'xs', radius: 'xs' } }),
    Switch: Switch.extend({ defaultProps: { size: 'xs', radius: 'sm', withThumbIndicator: false } }),
    Tabs: Tabs.extend({ defaultProps: { color: 'var(--ink)' } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', width: 224, position: 'bottom-end', transitionProps: { duration: 80 } } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, transitionProps: { duration: 80 } } }),
    Drawer: Drawer.extend({
      defaultProps: {
        transitionProps: { duration: 120 },
        overlayProps: { color: 'var(--veil)', backgroundOpacity: 1 },
      },
    }),
    Modal: Modal.extend({
      defaultProps: {
        size: 544, shadow: 'md', transitionProps: { duration: 120, transition: 'fade' },
        overlayProps: { color: 'var(--veil)', backgroundOpacity: 1 }, closeButtonProps: { 'aria-label': 'Close' },
      },
    }),
  },
});

const scale = {
  '--stroke': '1.5px',
  '--row': '36px',
  '--quick': '120ms',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: scale,
  light: {
    '--paper': '#FBFAF7', '--desk': '#F3F0E8', '--sheet': '#FFFEFC', '--hover': '#F3F0E8',
    '--rule': '#E2DED3', '--rule-strong': '#C8C3B5', '--edge': '#868D86', '--margin': '#B3BFE3',
    '--ink': '#16201C', '--ink-2': '#46534D', '--ink-3': '#626D67',
    '--pine': '#14583F', '--pine-tint': '#E3EFE7', '--on-pine': '#FFFFFF',
    '--postmark': '#2A489B', '--postmark-tint': '#ECEFF9',
    '--deferred': '#855600', '--deferred-tint': '#F8EED6',
    '--bounced': '#AE3119', '--bounced-tint': '#FBE9E3',
    '--failed': '#7F1734', '--failed-tint': '#F8E6EA',
    '--veil': 'rgb(235 231 221 / 72%)', '--lift': '0 16px 48px rgb(22 32 28 / 16%)',
    '--mantine-color-body': 'var(--paper)', '--mantine-color-text': 'var(--ink)', '--mantine-color-dimmed': 'var(--ink-3)',
    '--mantine-color-placeholder': 'var(--ink-3)', '--mantine-color-error': 'var(--bounced)', '--mantine-color-anchor': 'var(--pine)',
    '--mantine-color-default': 'var(--sheet)', '--mantine-color-default-hover': 'var(--hover)', '--mantine-color-default-border': 'var(--rule-strong)',
  },
  dark: {
    '--paper': '#0E1412', '--desk': '#0A0F0D', '--sheet': '#151D1A', '--hover': '#18211D',
    '--rule': '#242E2A', '--rule-strong': '#3B4842', '--edge': '#6E7A74', '--margin': '#3A4670',
    '--ink': '#E8EBE4', '--ink-2': '#B0BAB3', '--ink-3': '#8F9A93',
    '--pine': '#8BCFAC', '--pine-tint': '#163226', '--on-pine': '#0A1410',
    '--postmark': '#A5B8F3', '--postmark-tint': '#1A2238',
    '--deferred': '#E2B45A', '--deferred-tint': '#2A2213',
    '--bounced': '#F0916F', '--bounced-tint': '#301C14',
    '--failed': '#E7758F', '--failed-tint': '#31161D',
    '--veil': 'rgb(3 5 4 / 62%)', '--lift': '0 0 0 1px #3B4842, 0 12px 40px rgb(0 0 0 / 60%)',
    '--mantine-color-body': 'var(--paper)', '--mantine-color-text': 'var(--ink)', '--mantine-color-dimmed': 'var(--ink-3)',
    '--mantine-color-placeholder': 'var(--ink-3)', '--mantine-color-error': 'var(--bounced)', '--mantine-color-anchor': 'var(--pine)',
    '--mantine-color-default': 'var(--sheet)', '--mantine-color-default-hover': 'var(--hover)', '--mantine-color-default-border': 'var(--rule-strong)',
  },
});
