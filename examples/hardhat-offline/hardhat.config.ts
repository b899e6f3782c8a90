import { fileURLToPath } from "node:url";
import nodeTestRunner from "@nomicfoundation/hardhat-node-test-runner";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import { configVariable, defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatViem, nodeTestRunner],
  // Hardhat downloads a compiler unless it is given one: this is solc's from npm.
  solidity: {
    version: "0.8.30",
    path: fileURLToPath(import.meta.resolve("solc/soljson.js")),
    settings: { evmVersion: "cancun" },
  },
  // Hardhat knows the rules of well-known chains. Of another chain it is told; leave this out for mainnet.
  chainDescriptors: {
    31337: { name: "harbour", chainType: "l1", hardforkHistory: { cancun: { blockNumber: 0 } } },
  },
  networks: {
    fork: {
      type: "edr-simulated",
      hardfork: "cancun",
      forking: { url: configVariable("ETH_RPC_URL") },
    },
  },
});
