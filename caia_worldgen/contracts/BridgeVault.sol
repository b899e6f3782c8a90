// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// The bridge's end on the main chain: keeps what went over, and pays out what came back.
/// The zero address stands for the native coin. Nonces of locks count from 0; nonces of releases are
/// those of the burns on the other chain, each honoured once.
contract BridgeVault {
    using SafeERC20 for IERC20;

    address public immutable relayer;
    uint256 public nextNonce;
    mapping(uint256 => bool) public released;

    event Locked(
        uint256 indexed nonce,
        address indexed token,
        address indexed sender,
        address recipient,
        uint256 amount
    );
    event Released(uint256 indexed nonce, address indexed token, address indexed recipient, uint256 amount);

    error NotRelayer();
    error AlreadyReleased(uint256 nonce);
    error ZeroAmount();

    constructor(address relayer_) {
        relayer = relayer_;
    }

    function lock(address token, uint256 amount, address recipient) external returns (uint256 nonce) {
        nonce = _lock(token, amount, recipient);
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
    }

    function lockNative(address recipient) external payable returns (uint256 nonce) {
        return _lock(address(0), msg.value, recipient);
    }

    function release(uint256 nonce, address token, address recipient, uint256 amount) external {
        if (msg.sender != relayer) revert NotRelayer();
        if (released[nonce]) revert AlreadyReleased(nonce);
        released[nonce] = true;
        emit Released(nonce, token, recipient, amount);
        if (token == address(0)) Address.sendValue(payable(recipient), amount);
        else IERC20(token).safeTransfer(recipient, amount);
    }

    function _lock(address token, uint256 amount, address recipient) private returns (uint256 nonce) {
        if (amount == 0) revert ZeroAmount();
        nonce = nextNonce++;
        emit Locked(nonce, token, msg.sender, recipient, amount);
    }
}
