// Loaded into the tools we run (node --import): a killed parent cannot stop them, so they stop by themselves. Their own
// workers load this too, and are theirs to stop.
if (process.channel && process.ppid === Number(process.env.POSTROOM_PARENT)) {
  process.on('disconnect', () => process.exit(1));
  process.channel.unref();
}
