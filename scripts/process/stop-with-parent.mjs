// Loaded into child tools (node --import): a killed parent can't stop them, so they stop on their own. Their workers load
// this too, and are stopped by them.
if (process.channel && process.ppid === Number(process.env.POSTROOM_PARENT)) {
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}
