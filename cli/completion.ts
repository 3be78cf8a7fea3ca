/** `precise-ttl completion`: what completes the commands in a shell. See `--help`. */
import { describeCommands } from './completion/described-commands.ts';
import { completionFor, SHELLS } from './completion/scripts.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: {},
  words: SHELLS,
  help: flags => `npx precise-ttl completion bash|zsh|fish

Prints what completes the commands of precise-ttl and their flags, for where the shell reads it:

  bash  precise-ttl completion bash > ~/.local/share/bash-completion/completions/precise-ttl
  zsh   precise-ttl completion zsh > a folder of $fpath/_precise-ttl
  fish  precise-ttl completion fish > ~/.config/fish/completions/precise-ttl.fish

It completes the command precise-ttl, as after npm install --global, and not what follows npx.

${flags}

Exit status: 0 printed, 2 wrong flags, or another shell.`,
  async run(_flags, { word, siblings }) {
    print(completionFor(word as (typeof SHELLS)[number], await describeCommands(siblings)));
    return 0;
  },
});
