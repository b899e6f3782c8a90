// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Many calls in one transaction, made by this contract: the targets see it as their sender.
contract Multicall {
    struct Call {
        address target;
        bytes data;
    }

    struct Result {
        bool success;
        bytes data;
    }

    error CallFailed(uint256 index, bytes reason);

    /// All or nothing.
    function aggregate(Call[] calldata calls) external returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory data) = calls[i].target.call(calls[i].data);
            if (!success) revert CallFailed(i, data);
            results[i] = data;
        }
    }

    /// Each call on its own; a failed one says so and the others stand.
    function tryAggregate(Call[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].data) = calls[i].target.call(calls[i].data);
        }
    }
}
